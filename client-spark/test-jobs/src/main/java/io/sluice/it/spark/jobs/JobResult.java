package io.sluice.it.spark.jobs;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Result of a job.
 *
 * @param digest digest of all rows
 * @param plan the final physical plan, or empty
 */
record JobResult(long rows, String digest, String plan) {
  /** Result whose rows have no defined order. */
  static JobResult ofUnordered(List<String> rows) {
    List<String> sorted = new ArrayList<>(rows);
    Collections.sort(sorted);
    return ofOrdered(sorted);
  }

  /** Result whose rows have a defined order. */
  static JobResult ofOrdered(List<String> rows) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      for (String row : rows) {
        digest.update(row.getBytes(StandardCharsets.UTF_8));
        digest.update((byte) '\n');
      }
      return new JobResult(
          rows.size(), String.format("%064x", new BigInteger(1, digest.digest())), "");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  JobResult withPlan(String text) {
    return new JobResult(rows, digest, text);
  }
}
