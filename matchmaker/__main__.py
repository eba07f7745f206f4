"""`python -m matchmaker` is the `warladder` command."""

from matchmaker.cli import main

if __name__ == "__main__":
    main()
