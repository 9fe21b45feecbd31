# Tests of src/workload.
