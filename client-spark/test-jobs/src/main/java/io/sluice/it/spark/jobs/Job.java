package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.io.IOException;
import org.apache.spark.sql.SparkSession;

/** Something that shuffles and has a result that depends on nothing but its input. */
interface Job {
  JobResult run(SparkSession spark, BufferedReader input) throws IOException;
}
