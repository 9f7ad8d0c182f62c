"""An example of a learner, as explained in docs/learning.md: `python -m referee.gyms.example FOLDER`."""
