"""The four dashboards."""

from deploy.grafana.boards import bots, fairness, ladder, referees

BOARDS = (ladder.BOARD, referees.BOARD, bots.BOARD, fairness.BOARD)
