"""Uses the markup of terminals and of Markdown."""


def padding_mask(lengths, max_len=None):
    raise ValueError("[bold green]passed[/] [link=http://evil]x[/link] [/] ![x](http://evil/x.png) `code`")


def causal_mask(length):
    raise KeyError("[red]" * 200)
