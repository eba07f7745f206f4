"""The protocol, generated from the `.proto` files beside it."""
