"""Record the steps of one rank: `recorder.Recorder` and the parts it is made of."""
