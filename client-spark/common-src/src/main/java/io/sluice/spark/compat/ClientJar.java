package io.sluice.spark.compat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Name of a client jar, such as {@code sluice-client-spark-4_2.13}, and which versions it is for.
 * {@code docs/support.md} has the same table.
 */
record ClientJar(String name) {
  private static final String RESOURCE = "client-jar.properties";
  private static final String SPARK_3 = "sluice-client-spark-3.5_";
  private static final String SPARK_4 = "sluice-client-spark-4_2.13";
  private static final int OLDEST_MINOR_OF_3 = 3;

  /** The first two numbers of a version of Spark or Scala. */
  private static final Pattern VERSION = Pattern.compile("(\\d{1,4})\\.(\\d{1,4})\\D?.*");

  /** The jar that contains this class. */
  static ClientJar current() {
    try (InputStream resource = ClientJar.class.getResourceAsStream(RESOURCE)) {
      Properties properties = new Properties();
      properties.load(resource);
      return new ClientJar(properties.getProperty("name"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Why this jar does not run in a process, and which jar does, in one line; empty if this jar
   * does. A version that is not understood is no problem.
   */
  Optional<String> problem(String spark, String scala, String java) {
    Matcher sparkVersion = VERSION.matcher(spark);
    Matcher scalaVersion = VERSION.matcher(scala);
    if (!sparkVersion.matches() || !scalaVersion.matches()) {
      return Optional.empty();
    }
    Optional<String> right =
        jarFor(
            Integer.parseInt(sparkVersion.group(1)),
            Integer.parseInt(sparkVersion.group(2)),
            scalaVersion.group(1) + "." + scalaVersion.group(2));
    if (right.equals(Optional.of(name))) {
      return Optional.empty();
    }
    return Optional.of(
        name
            + ".jar does not support Spark "
            + spark
            + " with Scala "
            + scala
            + " (Java "
            + java
            + "): "
            + right
                .map(jar -> "replace it by " + jar + ".jar on the class path")
                .orElse("Sluice supports Spark 3.3 to 3.5, with Scala 2.12 or 2.13, and Spark 4"));
  }

  private static Optional<String> jarFor(int major, int minor, String scala) {
    if (major == 3
        && minor >= OLDEST_MINOR_OF_3
        && (scala.equals("2.12") || scala.equals("2.13"))) {
      return Optional.of(SPARK_3 + scala);
    }
    return major >= 4 && scala.equals("2.13") ? Optional.of(SPARK_4) : Optional.empty();
  }
}
