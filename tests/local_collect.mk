# Tests of src/collect.
