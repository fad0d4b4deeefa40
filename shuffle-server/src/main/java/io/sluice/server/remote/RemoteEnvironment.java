package io.sluice.server.remote;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Locations of the classes and configuration of a Hadoop client.
 *
 * @param configuredClassPath from the server's configuration; replaces {@code hadoopClassPath}
 * @param hadoopClassPath environment variable {@code HADOOP_CLASSPATH}
 * @param hadoopConfiguration environment variable {@code HADOOP_CONF_DIR}
 * @param library directory of the distribution with the jars of the remote tier
 */
public record RemoteEnvironment(
    Optional<String> configuredClassPath,
    Optional<String> hadoopClassPath,
    Optional<Path> hadoopConfiguration,
    Optional<Path> library) {

  /**
   * Reads the environment variables of a process.
   *
   * @param home directory of the distribution, system property {@code sluice.home}; may be null
   */
  public static RemoteEnvironment of(
      Optional<String> configuredClassPath, Map<String, String> environment, String home) {
    return new RemoteEnvironment(
        configuredClassPath,
        Optional.ofNullable(environment.get("HADOOP_CLASSPATH")).filter(text -> !text.isBlank()),
        Optional.ofNullable(environment.get("HADOOP_CONF_DIR"))
            .filter(text -> !text.isBlank())
            .map(Path::of),
        Optional.ofNullable(home).map(path -> Path.of(path, "lib", "hadoop")));
  }

  URL[] classPath() throws IOException {
    ClassPath path = new ClassPath();
    if (library.isPresent()) {
      path.addJarsOf(library.get());
    }
    Optional<String> given = configuredClassPath.or(() -> hadoopClassPath);
    if (given.isPresent()) {
      path.add(given.get());
    }
    return path.urls();
  }

  String describeClassPath() {
    List<String> parts = new ArrayList<>();
    library.ifPresent(path -> parts.add(path + "/*"));
    if (configuredClassPath.isPresent()) {
      parts.add("rss.server.hadoop.classpath " + configuredClassPath.get());
    } else {
      hadoopClassPath.ifPresent(text -> parts.add("HADOOP_CLASSPATH " + text));
    }
    return parts.isEmpty() ? "(no class path is configured)" : String.join(" and ", parts);
  }
}
