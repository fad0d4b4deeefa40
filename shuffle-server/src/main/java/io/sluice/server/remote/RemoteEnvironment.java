package io.sluice.server.remote;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Where a Hadoop client may be found.
 *
 * @param configuredClassPath as the server's configuration says; replaces {@code hadoopClassPath}
 * @param hadoopClassPath as the environment says, {@code HADOOP_CLASSPATH}
 * @param hadoopConfiguration as the environment says, {@code HADOOP_CONF_DIR}
 * @param library of the distribution, with the jars of the tier
 */
public record RemoteEnvironment(
    Optional<String> configuredClassPath,
    Optional<String> hadoopClassPath,
    Optional<Path> hadoopConfiguration,
    Optional<Path> library) {

  /**
   * Looks into the environment of a process.
   *
   * @param home directory of the distribution, as the system property {@code sluice.home} says; may
   *     be null
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
    return parts.isEmpty() ? "(nothing given)" : String.join(" and ", parts);
  }
}
