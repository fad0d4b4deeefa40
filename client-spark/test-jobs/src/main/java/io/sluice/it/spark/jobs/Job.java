package io.sluice.it.spark.jobs;

import java.io.BufferedReader;
import java.io.IOException;
import org.apache.spark.sql.SparkSession;

/** A job with a shuffle and a deterministic result. */
interface Job {
  JobResult run(SparkSession spark, BufferedReader input) throws IOException;
}
