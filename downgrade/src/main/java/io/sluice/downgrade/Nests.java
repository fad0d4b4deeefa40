package io.sluice.downgrade;

import java.util.Map;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.FieldNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.VarInsnNode;

/**
 * Access to private members of classes in the same source file. From Java 11 on, a class reaches
 * them directly. In Java 8 a private member is accessible in its own class only, and a private
 * method is called with INVOKESPECIAL. So for members that other classes use:
 *
 * <ul>
 *   <li>fields, constructors and static methods become accessible in the package (public in an
 *       interface): nothing overrides them, so their meaning stays the same;
 *   <li>instance methods stay private, and get a static method that calls them. They could override
 *       or be overridden otherwise.
 * </ul>
 */
final class Nests {
  private static final String ACCESS = "access$";

  private final Map<String, ClassNode> classes;

  /**
   * @param classes by name; changed by {@link #open}
   */
  Nests(Map<String, ClassNode> classes) {
    this.classes = classes;
  }

  /** Changes all classes so that they need no access to private members of others. */
  void open() {
    for (ClassNode user : classes.values()) {
      for (MethodNode method : user.methods.toArray(new MethodNode[0])) {
        for (AbstractInsnNode instruction : method.instructions) {
          open(user, instruction);
        }
      }
    }
  }

  private void open(ClassNode user, AbstractInsnNode instruction) {
    if (instruction instanceof FieldInsnNode use) {
      openField(user, use);
    } else if (instruction instanceof MethodInsnNode use) {
      openMethod(user, use);
    } else if (instruction instanceof InvokeDynamicInsnNode use) {
      Lambdas.replaceMethods(use, handle -> opened(user, handle));
    }
  }

  private void openField(ClassNode user, FieldInsnNode use) {
    ClassNode owner = classes.get(use.owner);
    if (owner == null || owner == user) {
      return;
    }
    for (FieldNode field : owner.fields) {
      if (field.name.equals(use.name) && field.desc.equals(use.desc)) {
        field.access &= ~Opcodes.ACC_PRIVATE;
      }
    }
  }

  private void openMethod(ClassNode user, MethodInsnNode use) {
    MethodNode method = privateMethod(use.owner, use.name, use.desc);
    if (method == null) {
      return;
    }
    ClassNode owner = classes.get(use.owner);
    if (!isInstance(method)) {
      widen(user, owner, method);
    } else if (owner == user) {
      use.setOpcode(Opcodes.INVOKESPECIAL);
    } else {
      Member accessor = accessor(owner, method);
      use.setOpcode(Opcodes.INVOKESTATIC);
      use.name = accessor.name();
      use.desc = accessor.descriptor();
    }
  }

  private Handle opened(ClassNode user, Handle handle) {
    MethodNode method = privateMethod(handle.getOwner(), handle.getName(), handle.getDesc());
    if (method == null) {
      return handle;
    }
    ClassNode owner = classes.get(handle.getOwner());
    if (!isInstance(method)) {
      widen(user, owner, method);
      return handle;
    }
    if (owner == user) {
      return new Handle(
          Opcodes.H_INVOKESPECIAL,
          handle.getOwner(),
          handle.getName(),
          handle.getDesc(),
          handle.isInterface());
    }
    Member accessor = accessor(owner, method);
    return new Handle(
        Opcodes.H_INVOKESTATIC,
        accessor.owner(),
        accessor.name(),
        accessor.descriptor(),
        handle.isInterface());
  }

  /** Null if the class is not one of the jar, or its method is not private. */
  private MethodNode privateMethod(String owner, String name, String descriptor) {
    ClassNode node = classes.get(owner);
    MethodNode method = node == null ? null : method(node, name, descriptor);
    return method == null || (method.access & Opcodes.ACC_PRIVATE) == 0 ? null : method;
  }

  private static MethodNode method(ClassNode owner, String name, String descriptor) {
    return owner.methods.stream()
        .filter(method -> method.name.equals(name) && method.desc.equals(descriptor))
        .findFirst()
        .orElse(null);
  }

  private static boolean isInstance(MethodNode method) {
    return (method.access & Opcodes.ACC_STATIC) == 0 && !method.name.equals("<init>");
  }

  private static boolean isInterface(ClassNode node) {
    return (node.access & Opcodes.ACC_INTERFACE) != 0;
  }

  private static void widen(ClassNode user, ClassNode owner, MethodNode method) {
    if (owner != user) {
      method.access &= ~Opcodes.ACC_PRIVATE;
      method.access |= isInterface(owner) ? Opcodes.ACC_PUBLIC : 0;
    }
  }

  /** The static method that calls a private instance method; created for its first user. */
  private static Member accessor(ClassNode owner, MethodNode method) {
    Member accessor =
        new Member(owner.name, method.name, method.desc)
            .withReceiver(owner.name, ACCESS + method.name);
    if (method(owner, accessor.name(), accessor.descriptor()) == null) {
      owner.methods.add(accessorMethod(owner, method, accessor));
    }
    return accessor;
  }

  private static MethodNode accessorMethod(ClassNode owner, MethodNode method, Member accessor) {
    int visibility = isInterface(owner) ? Opcodes.ACC_PUBLIC : 0;
    MethodNode caller =
        new MethodNode(
            visibility | Opcodes.ACC_STATIC | Opcodes.ACC_SYNTHETIC,
            accessor.name(),
            accessor.descriptor(),
            null,
            method.exceptions.toArray(new String[0]));
    InsnList code = caller.instructions;
    int local = 0;
    for (Type parameter : Type.getArgumentTypes(accessor.descriptor())) {
      code.add(new VarInsnNode(parameter.getOpcode(Opcodes.ILOAD), local));
      local += parameter.getSize();
    }
    code.add(
        new MethodInsnNode(
            Opcodes.INVOKESPECIAL, owner.name, method.name, method.desc, isInterface(owner)));
    code.add(new InsnNode(Type.getReturnType(method.desc).getOpcode(Opcodes.IRETURN)));
    return caller;
  }
}
