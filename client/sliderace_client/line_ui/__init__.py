"""Line mode without its lines' way in and out: what is typed, and what is answered.

Pure: time and chance are arguments. It speaks plain ASCII, so that a screen reader, a
pipe and a terminal of 1980 can all follow.
"""
