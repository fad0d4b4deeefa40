package io.sluice.downgrade;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AnnotationNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * What replaces methods and classes that Java 8 lacks: the static methods of backport classes with
 * the annotation {@code MethodsOf}, and backport classes with the annotation {@code Replaces}.
 */
final class Replacements {
  /** Package of the backport classes. */
  static final String PACKAGE = "io/sluice/backport/";

  private static final String METHODS_OF = "L" + PACKAGE + "MethodsOf;";
  private static final String REPLACES = "L" + PACKAGE + "Replaces;";

  private final Map<Member, Member> methods = new HashMap<>();
  private final Map<String, String> types = new HashMap<>();

  /**
   * @param backports classes; those of other packages are ignored
   */
  Replacements(Collection<ClassNode> backports) {
    // A record gets its methods from RecordMethods.
    types.put("java/lang/Record", "java/lang/Object");
    for (ClassNode backport : backports) {
      if (backport.name.startsWith(PACKAGE)) {
        add(backport);
      }
    }
  }

  private void add(ClassNode backport) {
    List<AnnotationNode> annotations =
        backport.invisibleAnnotations == null ? List.of() : backport.invisibleAnnotations;
    for (AnnotationNode annotation : annotations) {
      if (annotation.desc.equals(METHODS_OF)) {
        addMethods(backport, ((Type) annotation.values.get(1)).getInternalName());
      } else if (annotation.desc.equals(REPLACES)) {
        types.put(((String) annotation.values.get(1)).replace('.', '/'), backport.name);
      }
    }
  }

  private void addMethods(ClassNode backport, String of) {
    for (MethodNode method : backport.methods) {
      if ((method.access & Opcodes.ACC_PUBLIC) != 0) {
        methods.put(
            new Member(of, method.name, method.desc),
            new Member(backport.name, method.name, method.desc));
      }
    }
  }

  /** Names of JDK classes, with the names of the classes that replace them. */
  Map<String, String> types() {
    return types;
  }

  /**
   * The static method that replaces a method which Java 8 lacks.
   *
   * @param isStatic whether the replaced method is static
   */
  Optional<Member> find(Member method, boolean isStatic, KnownClasses classes) {
    return classes.types(method.owner()).stream()
        .map(type -> methods.get(key(method.in(type), isStatic)))
        .filter(found -> found != null)
        .findFirst();
  }

  private static Member key(Member method, boolean isStatic) {
    return isStatic ? method : method.withReceiver(method.owner(), method.name());
  }
}
