"""Puts a formula for a spreadsheet where a cell begins."""


class Formula(Exception):
    pass


Formula.__name__ = '=HYPERLINK("http://evil","click")'
raise Formula("=1+cmd|' /C calc'!A0\t@SUM(1)\r\n+1,-1")
