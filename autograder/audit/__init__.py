"""What the graders are asked themselves: do the checks see every mistake?"""
