"""Measures the grader itself: do the checks find every mistake?"""
