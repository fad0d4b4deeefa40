package io.sluice.metrics;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Properties;

/**
 * Version information of this process.
 *
 * @param version version of Sluice
 * @param revision revision of the sources; {@code unknown} if they were not built in a checkout
 * @param java version of the JVM
 */
public record BuildInfo(String version, String revision, String java) {
  private static final String RESOURCE = "/io/sluice/metrics/build.properties";
  private static final String UNKNOWN = "unknown";

  /** Info metric: the value is always 1, the labels contain the versions. */
  public static final MetricTable<BuildInfo> TABLE =
      MetricTable.<BuildInfo>of(
              "sluice_",
              List.of("version", "revision", "java"),
              build -> List.of(build.version, build.revision, build.java))
          .gauge(
              "build_info",
              "Always 1; the labels contain the version and source revision of Sluice and the Java"
                  + " version of this process",
              unused -> 1)
          .build();

  /** Reads the versions from the jar of this class and from the JVM. */
  public static BuildInfo ofThisProcess() {
    Properties properties = new Properties();
    try (InputStream in = BuildInfo.class.getResourceAsStream(RESOURCE)) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + RESOURCE + " of the jar", e);
    }
    return new BuildInfo(
        value(properties, "version"),
        value(properties, "revision"),
        System.getProperty("java.version"));
  }

  /** A value that Maven did not replace is unknown. */
  private static String value(Properties properties, String key) {
    String value = properties.getProperty(key, "");
    return value.isEmpty() || value.contains("${") ? UNKNOWN : value;
  }
}
