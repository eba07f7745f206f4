#!/usr/bin/env bash
# A bot in bash and jq: the best verb first in Battle for Stalingrad, any option in other games.
# One jq reads all lines; --unbuffered lets each answer out at once.

# Asked by nobody to play: say how. The bridge sets WARLADDER_SEED for its programs.
if [ -z "${WARLADDER_SEED:-}" ]; then
  echo "bot.sh: run me through the bridge: warladder bridge -- $0" >&2
  exit 2
fi

# shellcheck disable=SC2016
exec jq --unbuffered --compact-output '
  # What a verb is worth; those that are not named here are worth nothing.
  def worth: {
    attack: 3, participants: 4, to: 2, move: -1, buy: 6, play: 1, fire: -1, retreat: 5,
    ration: 4, place_ration: 3, ignore: 8, destroy: -6, destroy_own: -6, discard: -2
  }[.verb // ""] // 0;

  # An option of Stalingrad with what it is done to: more Forces, open ground, more Rations.
  def score: .stalingrad as $o | if $o == null then 0 else
    ($o | worth)
    + ($o.forces | length)
    + (if $o.area | endswith(".C") then 2 else 0 end)
    + $o.rations
  end;

  # Only a question wants an answer. Among equals chance decides, the same for the same seed.
  select(.type == "decide")
  | (.options | map(score) | max) as $best
  | [.options[] | select(score == $best) | .index] as $equal
  | {option: $equal[.chance % ($equal | length)], note: "worth \($best)"}
'
