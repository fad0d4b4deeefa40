package io.sluice.downgrade;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Finds what Java 8 lacks in the classes of a jar: newer versions of the class format, and classes
 * and members of the JDK. All references are in the constant pool of a class.
 */
final class JarCheck {
  private static final int CLASS = 7;
  private static final int FIELD = 9;
  private static final int METHOD = 10;
  private static final int INTERFACE_METHOD = 11;
  private static final int METHOD_TYPE = 16;
  private static final int DYNAMIC_CONSTANT = 17;

  /** Offset of the version in a class file. */
  private static final int VERSION_OFFSET = 6;

  private final KnownClasses classes;
  private final Java8 java8;
  private final List<LibraryUse> libraryUses;
  private final Set<LibraryUse> found = new HashSet<>();
  private final Set<String> problems = new LinkedHashSet<>();

  /**
   * @param libraryUses uses of newer classes that are no problem
   */
  JarCheck(KnownClasses classes, Java8 java8, List<LibraryUse> libraryUses) {
    this.classes = classes;
    this.java8 = java8;
    this.libraryUses = libraryUses;
  }

  /**
   * Checks all classes.
   *
   * @param jar bytes by class name
   * @return problems, one a line; empty if there are none
   */
  List<String> check(Map<String, byte[]> jar) {
    jar.forEach(this::check);
    for (LibraryUse use : libraryUses) {
      if (!found.contains(use)) {
        problems.add(use + ": no class uses it any longer; remove the line");
      }
    }
    return new ArrayList<>(problems);
  }

  private void check(String name, byte[] bytes) {
    ClassReader reader = new ClassReader(bytes);
    int version = reader.readUnsignedShort(VERSION_OFFSET);
    if (version > Opcodes.V1_8) {
      problems.add(name + ": class version " + version + ", Java 8 reads at most " + Opcodes.V1_8);
    }
    char[] buffer = new char[reader.getMaxStringLength()];
    for (int i = 1; i < reader.getItemCount(); i++) {
      int offset = reader.getItem(i);
      if (offset == 0) {
        // The second half of a long or double.
        continue;
      }
      switch (reader.readByte(offset - 1)) {
        case CLASS -> checkType(name, Type.getObjectType(reader.readUTF8(offset, buffer)));
        case FIELD, METHOD, INTERFACE_METHOD -> checkMember(name, member(reader, offset, buffer));
        case METHOD_TYPE -> checkTypes(name, reader.readUTF8(offset, buffer));
        case DYNAMIC_CONSTANT -> problems.add(name + ": dynamic constant");
        default -> {
          // No reference.
        }
      }
    }
    DeclaredTypes.of(reader).forEach(descriptor -> checkTypes(name, descriptor));
  }

  private static Member member(ClassReader reader, int offset, char[] buffer) {
    int nameAndType = reader.getItem(reader.readUnsignedShort(offset + 2));
    return new Member(
        reader.readClass(offset, buffer),
        reader.readUTF8(nameAndType, buffer),
        reader.readUTF8(nameAndType + 2, buffer));
  }

  private void checkMember(String user, Member member) {
    checkTypes(user, member.descriptor());
    if (classes.isMissing(member)) {
      add(user, member.owner() + "." + member.name(), member.toString());
    }
  }

  private void checkTypes(String user, String descriptor) {
    if (descriptor.startsWith("(")) {
      for (Type parameter : Type.getArgumentTypes(descriptor)) {
        checkType(user, parameter);
      }
      checkType(user, Type.getReturnType(descriptor));
    } else {
      checkType(user, Type.getType(descriptor));
    }
  }

  private void checkType(String user, Type type) {
    if (type.getSort() == Type.ARRAY) {
      checkType(user, type.getElementType());
    } else if (type.getSort() == Type.OBJECT && java8.lacks(type.getInternalName())) {
      add(user, type.getInternalName(), type.getInternalName());
    }
  }

  private void add(String user, String used, String shown) {
    for (LibraryUse use : libraryUses) {
      if (use.includes(user, used)) {
        found.add(use);
        return;
      }
    }
    problems.add(user + " uses " + shown);
  }
}
