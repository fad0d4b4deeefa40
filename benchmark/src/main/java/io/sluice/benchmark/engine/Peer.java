package io.sluice.benchmark.engine;

import io.sluice.demo.staging.DemoException;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Another shuffle service in a comparison, whose servers are running. Described by a file of
 * properties:
 *
 * <pre>
 *   jars    = plugin for Spark, paths separated by commas
 *   servers = process ids of its servers, separated by commas
 *   spark.* = configuration of Spark
 * </pre>
 *
 * @param name name in tables and in names of files
 * @param jars the plugin for Spark
 * @param servers process ids of its servers
 * @param conf configuration of Spark
 */
record Peer(String name, List<Path> jars, List<Long> servers, Map<String, String> conf) {
  private static final String SPARK = "spark.";
  private static final String JARS = "jars";
  private static final String SERVERS = "servers";
  private static final String NAME = "[a-z][a-z0-9-]{0,30}";

  Peer {
    jars = List.copyOf(jars);
    servers = List.copyOf(servers);
    conf = Map.copyOf(conf);
  }

  /**
   * Reads the file of a peer.
   *
   * @throws DemoException if the name or the file is invalid
   */
  static Peer read(String name, Path file) throws DemoException {
    if (!name.matches(NAME)) {
      throw invalid(name, "expected lower-case letters, digits and hyphens as its name");
    }
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw invalid(name, "cannot read " + file + ": " + e.getMessage());
    }
    List<Path> jars = list(properties, JARS).map(Path::of).toList();
    List<Long> servers = new ArrayList<>();
    Map<String, String> conf = new TreeMap<>();
    for (String key : properties.stringPropertyNames()) {
      if (key.startsWith(SPARK)) {
        conf.put(key, properties.getProperty(key));
      } else if (!key.equals(JARS) && !key.equals(SERVERS)) {
        throw invalid(name, file + " has the unknown key " + key);
      }
    }
    for (Path jar : jars) {
      if (!Files.isReadable(jar)) {
        throw invalid(name, "cannot read " + jar);
      }
    }
    try {
      list(properties, SERVERS).map(Long::valueOf).forEach(servers::add);
    } catch (NumberFormatException e) {
      throw invalid(name, file + ": expected process ids in " + SERVERS);
    }
    if (jars.isEmpty() || conf.isEmpty()) {
      throw invalid(name, file + " needs " + JARS + " and keys of Spark");
    }
    return new Peer(name, jars, servers, conf);
  }

  private static Stream<String> list(Properties properties, String key) {
    return Stream.of(properties.getProperty(key, "").split(","))
        .map(String::strip)
        .filter(item -> !item.isEmpty());
  }

  private static DemoException invalid(String name, String problem) {
    return DemoException.usage("--peer " + name + ": " + problem);
  }

  /** The servers that still run. */
  List<ProcessHandle> processes() {
    return servers.stream().flatMap(pid -> ProcessHandle.of(pid).stream()).toList();
  }
}
