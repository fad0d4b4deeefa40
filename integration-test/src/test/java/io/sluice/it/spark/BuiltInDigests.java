package io.sluice.it.spark;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import java.util.Set;

/**
 * Digests of jobs with Spark's built-in shuffle, from a file, because an application that computes
 * them takes seconds of CPU. {@link BuiltInDigestsTest} compares the file with Spark.
 */
public final class BuiltInDigests {
  private static final String FILE = "/built-in-digests.properties";
  private static final String FAULTS = "faults/";

  private BuiltInDigests() {}

  /** The digest of a job's rows. It does not depend on the name of a {@code faults/} job. */
  public static String of(String job) {
    String digest = all().getProperty(job.startsWith(FAULTS) && !job.contains("*") ? FAULTS : job);
    if (digest == null) {
      throw new IllegalArgumentException("no digest of the job " + job + " in " + FILE);
    }
    return digest;
  }

  /** Jobs of the file; that of all {@code faults/} jobs is {@code faults/}. */
  static Set<String> jobs() {
    return all().stringPropertyNames();
  }

  private static Properties all() {
    Properties all = new Properties();
    try (InputStream in = BuiltInDigests.class.getResourceAsStream(FILE)) {
      all.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all;
  }
}
