package io.sluice.downgrade;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.objectweb.asm.ClassReader;

/**
 * Finds the classes of relocated libraries that a jar does not need. Needed are service providers,
 * classes that native code uses, and what any other class needs: each class whose name is in one of
 * its constants. So a class needs those that it loads by name, the types of its fields and methods,
 * and all classes that are nested in it.
 */
final class UnusedClasses {
  private static final String SERVICES = "META-INF/services/";

  /** Packages whose classes native libraries look up by name. */
  private static final List<String> NATIVE =
      List.of(
          LibraryUse.RELOCATED + "io/netty/channel/epoll/",
          LibraryUse.RELOCATED + "io/netty/channel/unix/",
          LibraryUse.RELOCATED + "io/netty/channel/uring/");

  private static final Pattern CLASS =
      Pattern.compile("(?:META-INF/versions/\\d+/)?(?<name>.+)\\.class");

  /** Types in descriptors and in generic signatures. */
  private static final Pattern TYPE = Pattern.compile("L([^;<]+)[;<]");

  private static final int UTF8 = 1;

  /** Names of classes by entry; a class can have entries for several versions of Java. */
  private final Map<String, String> classes = new HashMap<>();

  /** The classes that each class needs. */
  private final Map<String, Set<String>> needed = new HashMap<>();

  private final Set<String> known;

  private UnusedClasses(Map<String, byte[]> entries) {
    for (String entry : entries.keySet()) {
      Matcher name = CLASS.matcher(entry);
      if (name.matches()) {
        classes.put(entry, name.group("name"));
      }
    }
    known = Set.copyOf(classes.values());
    classes.forEach(
        (entry, name) ->
            needed
                .computeIfAbsent(name, unused -> new HashSet<>())
                .addAll(namesIn(entries.get(entry))));
  }

  /**
   * The entries of a jar that it does not need.
   *
   * @param entries bytes by name
   */
  static Set<String> in(Map<String, byte[]> entries) {
    UnusedClasses classes = new UnusedClasses(entries);
    Set<String> used = classes.usedBy(classes.roots(entries));
    return classes.classes.entrySet().stream()
        .filter(entry -> !used.contains(entry.getValue()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  private Set<String> roots(Map<String, byte[]> entries) {
    Set<String> roots = new HashSet<>();
    for (String name : known) {
      if (!name.startsWith(LibraryUse.RELOCATED) || NATIVE.stream().anyMatch(name::startsWith)) {
        roots.add(name);
      }
    }
    entries.forEach(
        (name, bytes) -> {
          if (name.startsWith(SERVICES)) {
            new String(bytes, StandardCharsets.UTF_8)
                .lines()
                .forEach(line -> roots.add(line.strip().replace('.', '/')));
          }
        });
    return roots;
  }

  private Set<String> usedBy(Set<String> roots) {
    Set<String> used = new HashSet<>();
    Deque<String> open = new ArrayDeque<>(roots);
    while (!open.isEmpty()) {
      String next = open.remove();
      if (known.contains(next) && used.add(next)) {
        open.addAll(needed.get(next));
      }
    }
    return used;
  }

  private Set<String> namesIn(byte[] bytes) {
    Set<String> names = new HashSet<>();
    ClassReader reader = new ClassReader(bytes);
    for (int i = 1; i < reader.getItemCount(); i++) {
      int offset = reader.getItem(i);
      // 0 is the second half of a long or double.
      if (offset != 0 && reader.readByte(offset - 1) == UTF8) {
        int length = reader.readUnsignedShort(offset);
        String text = new String(bytes, offset + 2, length, StandardCharsets.UTF_8);
        names.add(text.replace('.', '/'));
        TYPE.matcher(text).results().forEach(type -> names.add(type.group(1)));
      }
    }
    names.retainAll(known);
    return names;
  }
}
