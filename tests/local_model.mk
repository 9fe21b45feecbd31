# Tests of src/model.
check_PROGRAMS += check_crossover check_model check_stats check_trace
check_model_SOURCES = check_model.c check_model.h check_model_alarms.c check_model_device.c \
	check_model_frame.c check_model_heat.c check_model_histogram.c \
	check_model_history.c \
	check_model_imbalance.c check_model_job.c check_model_point.c check_model_values.c \
	check_model_schema.c
TESTS += check_crossover check_model check_stats check_trace
