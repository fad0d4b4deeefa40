package io.sluice.it.cluster;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.spi.ToolProvider;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/** The jar of an engine plugin, without the packages that no job calls. */
public final class PluginJar {
  private static final String SHADED = "io.sluice.shaded.";
  private static final String SERVICES = "META-INF/services/";

  /** Directory of classes for newer versions of Java, of which the jar has no other. */
  private static final String VERSIONED = "^META-INF/versions/\\d+/";

  /** What jdeps writes before the name of such a class. */
  private static final String VERSION = "^\\d+/";

  private PluginJar() {}

  /**
   * Classes in {@code io.sluice} that a class of the jar references and that are missing in the
   * jar. Follows references from Sluice's classes and from services, through library code. Ignores
   * annotations and Netty's OpenSSL, which the jar excludes on purpose.
   */
  public static SortedSet<String> missingClasses(Path jar) throws IOException {
    Set<String> present = new HashSet<>();
    Deque<String> open = new ArrayDeque<>();
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      for (ZipEntry entry : zip.stream().toList()) {
        String name = entry.getName().replaceFirst(VERSIONED, "");
        if (name.endsWith(".class")) {
          present.add(name.substring(0, name.length() - ".class".length()).replace('/', '.'));
        } else if (name.startsWith(SERVICES) && !name.endsWith("/")) {
          try (BufferedReader lines =
              new BufferedReader(
                  new InputStreamReader(zip.getInputStream(entry), StandardCharsets.UTF_8))) {
            open.addAll(lines.lines().toList());
          }
        }
      }
    }
    present.stream().filter(name -> !name.startsWith(SHADED)).forEach(open::add);
    Map<String, Set<String>> references = references(jar);
    Set<String> reached = new HashSet<>();
    SortedSet<String> missing = new TreeSet<>();
    while (!open.isEmpty()) {
      String name = open.pop();
      if (!reached.add(name)) {
        continue;
      }
      if (name.startsWith("io.sluice.") && !present.contains(name) && !isLeftOut(name)) {
        missing.add(name);
      }
      open.addAll(references.getOrDefault(name, Set.of()));
    }
    return missing;
  }

  private static boolean isLeftOut(String name) {
    return name.contains(".annotations.") || name.startsWith(SHADED + "io.netty.internal.tcnative");
  }

  /** References of each class, from the JDK's {@code jdeps}. */
  private static Map<String, Set<String>> references(Path jar) {
    StringWriter out = new StringWriter();
    ToolProvider.findFirst("jdeps")
        .orElseThrow()
        .run(
            new PrintWriter(out),
            new PrintWriter(System.err, true, StandardCharsets.UTF_8),
            "-verbose:class",
            "-filter:none",
            "--multi-release",
            "17",
            "--ignore-missing-deps",
            jar.toString());
    Map<String, Set<String>> references = new HashMap<>();
    for (String line : out.toString().lines().filter(line -> line.startsWith("   ")).toList()) {
      // FROM -> TO WHERE
      String[] words = line.strip().split("\\s+");
      references
          .computeIfAbsent(words[0].replaceFirst(VERSION, ""), name -> new HashSet<>())
          .add(words[2].replaceFirst(VERSION, ""));
    }
    return references;
  }
}
