package io.sluice.downgrade;

import java.util.Optional;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.commons.ClassRemapper;
import org.objectweb.asm.commons.SimpleRemapper;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InsnList;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;
import org.objectweb.asm.tree.TypeInsnNode;

/** Rewrites one class for Java 8; {@link Nests} does what concerns several classes. */
final class ClassDowngrader {
  private final KnownClasses classes;
  private final Replacements replacements;

  ClassDowngrader(KnownClasses classes, Replacements replacements) {
    this.classes = classes;
    this.replacements = replacements;
  }

  /** Reads a class, with the types that replace those that Java 8 lacks. */
  ClassNode read(byte[] bytes) {
    ClassNode node = new ClassNode();
    ClassRemapper remapper =
        new ClassRemapper(node, new SimpleRemapper(Opcodes.ASM9, replacements.types()));
    new ClassReader(bytes).accept(remapper, 0);
    return node;
  }

  /** Changes a class in place. */
  void downgrade(ClassNode node) {
    new RecordMethods(node).generate();
    node.version = Opcodes.V1_8;
    node.access &= ~Opcodes.ACC_RECORD;
    node.recordComponents = null;
    node.nestHostClass = null;
    node.nestMembers = null;
    node.permittedSubclasses = null;
    for (MethodNode method : node.methods) {
      for (AbstractInsnNode instruction : method.instructions.toArray()) {
        if (instruction instanceof MethodInsnNode call) {
          rewrite(call, method.instructions);
        } else if (instruction instanceof InvokeDynamicInsnNode call) {
          Lambdas.replaceMethods(call, this::rewritten);
        }
      }
    }
  }

  /** Writes a changed class. */
  static byte[] write(ClassNode node) {
    ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    node.accept(writer);
    return writer.toByteArray();
  }

  private void rewrite(MethodInsnNode call, InsnList code) {
    Member method = new Member(call.owner, call.name, call.desc);
    // A call of a method of the superclass cannot become a static one; the check reports it.
    if (call.getOpcode() == Opcodes.INVOKESPECIAL || !classes.isMissing(method)) {
      return;
    }
    boolean isStatic = call.getOpcode() == Opcodes.INVOKESTATIC;
    Optional<Member> replacement = replacements.find(method, isStatic, classes);
    if (replacement.isPresent()) {
      call.setOpcode(Opcodes.INVOKESTATIC);
      call.owner = replacement.get().owner();
      call.desc = replacement.get().descriptor();
      call.itf = false;
      return;
    }
    Optional<String> older = classes.olderDescriptor(method);
    if (older.isPresent()) {
      String result = Type.getReturnType(call.desc).getInternalName();
      call.desc = older.get();
      code.insert(call, new TypeInsnNode(Opcodes.CHECKCAST, result));
    }
  }

  private Handle rewritten(Handle handle) {
    Member method = new Member(handle.getOwner(), handle.getName(), handle.getDesc());
    if (!classes.isMissing(method)) {
      return handle;
    }
    boolean isStatic = handle.getTag() == Opcodes.H_INVOKESTATIC;
    return replacements
        .find(method, isStatic, classes)
        .map(
            found ->
                new Handle(
                    Opcodes.H_INVOKESTATIC, found.owner(), found.name(), found.descriptor(), false))
        .orElse(handle);
  }
}
