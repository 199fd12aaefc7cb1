"""What does not hold, in a sentence, and of which kind it is."""


class Problem(str):
    """A sentence for people; `kind` is for counting.

    `place`, where it is about a place in a recording: the number of the segment, the first frame that goes on as it
    should, and how many frames of silence are before that.
    """

    def __new__(cls, kind, text, place=None):
        self = super().__new__(cls, text)
        self.kind = kind
        self.place = place
        return self
