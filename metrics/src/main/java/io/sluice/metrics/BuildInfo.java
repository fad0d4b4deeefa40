package io.sluice.metrics;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Properties;

/**
 * What runs here.
 *
 * @param version of Sluice
 * @param revision of its sources; {@code unknown} when they were built outside a checkout
 * @param java version of the JVM
 */
public record BuildInfo(String version, String revision, String java) {
  private static final String RESOURCE = "/io/sluice/metrics/build.properties";
  private static final String UNKNOWN = "unknown";

  /** Always 1, with what there is to say in labels, as is the custom. */
  public static final MetricTable<BuildInfo> TABLE =
      MetricTable.<BuildInfo>of(
              "sluice_",
              List.of("version", "revision", "java"),
              build -> List.of(build.version, build.revision, build.java))
          .gauge("build_info", "1, with the version of what runs here", unused -> 1)
          .build();

  /** Of the jar that this class came in, and the JVM that it is in. */
  public static BuildInfo ofThisProcess() {
    Properties properties = new Properties();
    try (InputStream in = BuildInfo.class.getResourceAsStream(RESOURCE)) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(RESOURCE + " of the jar cannot be read", e);
    }
    return new BuildInfo(
        value(properties, "version"),
        value(properties, "revision"),
        System.getProperty("java.version"));
  }

  /** What Maven did not fill in is not known. */
  private static String value(Properties properties, String key) {
    String value = properties.getProperty(key, "");
    return value.isEmpty() || value.contains("${") ? UNKNOWN : value;
  }
}
