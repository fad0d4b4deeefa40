package io.sluice.downgrade;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.ClassNode;

/** Which members a reference finds in the classes of a jar and of Java 8. */
final class KnownClasses {
  private static final String OBJECT = "java/lang/Object";

  private final Map<String, ClassNode> jar;
  private final Java8 java8;

  /**
   * @param jar the classes of the jar; later changes of the map and its classes are seen
   */
  KnownClasses(Map<String, ClassNode> jar, Java8 java8) {
    this.jar = jar;
    this.java8 = java8;
  }

  /** Null for a class of an engine, and for a class that Java 8 lacks. */
  private ClassNode find(String name) {
    ClassNode node = jar.get(name);
    return node == null ? java8.find(name) : node;
  }

  /**
   * Whether Java 8 lacks a member: its class belongs to the jar or to the JDK, and neither the
   * class nor its supertypes have the member. False if one of them is a class of an engine, or a
   * class that Java 8 lacks, since the class that extends it is a problem already.
   */
  boolean isMissing(Member member) {
    if (member.owner().startsWith("[") || isPolymorphic(member)) {
      return false;
    }
    for (String name : types(member.owner())) {
      ClassNode node = find(name);
      if (node == null && (!java8.lacks(name) || jar.containsKey(member.owner()))) {
        return false;
      }
      if (node != null && declares(node, member)) {
        return false;
      }
    }
    return true;
  }

  /** Methods that the compiler calls with any descriptor. */
  private static boolean isPolymorphic(Member member) {
    return member.owner().equals("java/lang/invoke/MethodHandle")
        && (member.name().equals("invoke") || member.name().equals("invokeExact"));
  }

  private static boolean declares(ClassNode node, Member member) {
    return member.isMethod()
        ? node.methods.stream()
            .anyMatch(m -> m.name.equals(member.name()) && m.desc.equals(member.descriptor()))
        : node.fields.stream()
            .anyMatch(f -> f.name.equals(member.name()) && f.desc.equals(member.descriptor()));
  }

  /**
   * The descriptor that Java 8 has for a method whose result became a subtype later, such as {@code
   * ByteBuffer.flip}.
   */
  Optional<String> olderDescriptor(Member method) {
    return types(method.owner()).stream()
        .map(this::find)
        .filter(node -> node != null)
        .flatMap(node -> node.methods.stream())
        .filter(found -> found.name.equals(method.name()))
        .map(found -> found.desc)
        .filter(found -> found.startsWith(method.parameters()))
        .findFirst();
  }

  /** A class and all its known supertypes, nearest first. */
  Set<String> types(String name) {
    Set<String> found = new LinkedHashSet<>();
    Deque<String> open = new ArrayDeque<>(List.of(name));
    while (!open.isEmpty()) {
      String next = open.remove();
      if (found.add(next)) {
        open.addAll(supertypes(find(next)));
      }
    }
    // Interfaces have the methods of Object.
    found.add(OBJECT);
    return found;
  }

  private static List<String> supertypes(ClassNode node) {
    if (node == null) {
      return List.of();
    }
    List<String> supertypes = new ArrayList<>();
    if (node.superName != null && (node.access & Opcodes.ACC_INTERFACE) == 0) {
      supertypes.add(node.superName);
    }
    supertypes.addAll(node.interfaces);
    return supertypes;
  }
}
