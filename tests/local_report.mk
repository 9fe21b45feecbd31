# Tests of src/report.
