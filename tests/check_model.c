/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of src/model. */
#include "check_model.h"

void test_suite(Suite *suite)
{
	suite_add_tcase(suite, device_case());
	suite_add_tcase(suite, frame_case());
	suite_add_tcase(suite, heat_case());
	suite_add_tcase(suite, histogram_case());
	suite_add_tcase(suite, history_case());
	suite_add_tcase(suite, alarms_case());
	suite_add_tcase(suite, imbalance_case());
	suite_add_tcase(suite, job_case());
	suite_add_tcase(suite, point_case());
	suite_add_tcase(suite, values_case());
	suite_add_tcase(suite, schema_case());
}
