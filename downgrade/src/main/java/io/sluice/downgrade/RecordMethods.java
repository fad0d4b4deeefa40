package io.sluice.downgrade;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Label;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.InnerClassNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * The methods {@code equals}, {@code hashCode} and {@code toString} of records. The compiler leaves
 * them to a class that Java 8 lacks; here they become code with the same results.
 */
final class RecordMethods {
  private static final String BOOTSTRAP = "java/lang/runtime/ObjectMethods";
  private static final String BUILDER = "java/lang/StringBuilder";
  private static final int HASH_FACTOR = 31;

  private final ClassNode type;

  RecordMethods(ClassNode type) {
    this.type = type;
  }

  /** Replaces each method that calls the bootstrap method of records. */
  void generate() {
    type.methods.replaceAll(
        method -> {
          for (AbstractInsnNode instruction : method.instructions) {
            if (instruction instanceof InvokeDynamicInsnNode call
                && call.bsm.getOwner().equals(BOOTSTRAP)) {
              return generated(method, fields(call));
            }
          }
          return method;
        });
  }

  /** The getters of the fields, from the arguments of the bootstrap method. */
  private static List<Handle> fields(InvokeDynamicInsnNode call) {
    List<Handle> fields = new ArrayList<>();
    for (Object argument : Arrays.asList(call.bsmArgs).subList(2, call.bsmArgs.length)) {
      fields.add((Handle) argument);
    }
    return fields;
  }

  private MethodNode generated(MethodNode original, List<Handle> fields) {
    MethodNode method =
        new MethodNode(original.access, original.name, original.desc, original.signature, null);
    method.visitCode();
    switch (original.name) {
      case "equals" -> generateEquals(method, fields);
      case "hashCode" -> generateHashCode(method, fields);
      case "toString" -> generateToString(method, fields);
      default ->
          throw new IllegalStateException(type.name + "." + original.name + ": unknown method");
    }
    method.visitMaxs(0, 0);
    method.visitEnd();
    return method;
  }

  private void generateEquals(MethodNode method, List<Handle> fields) {
    Label differs = new Label();
    method.visitVarInsn(Opcodes.ALOAD, 1);
    method.visitTypeInsn(Opcodes.INSTANCEOF, type.name);
    method.visitJumpInsn(Opcodes.IFEQ, differs);
    for (Handle field : fields) {
      getField(method, 0, field);
      getField(method, 1, field);
      jumpUnlessEqual(method, Type.getType(field.getDesc()), differs);
    }
    method.visitInsn(Opcodes.ICONST_1);
    method.visitInsn(Opcodes.IRETURN);
    method.visitLabel(differs);
    method.visitFrame(Opcodes.F_SAME, 0, null, 0, null);
    method.visitInsn(Opcodes.ICONST_0);
    method.visitInsn(Opcodes.IRETURN);
  }

  private static void jumpUnlessEqual(MethodNode method, Type field, Label target) {
    switch (field.getSort()) {
      case Type.BOOLEAN, Type.BYTE, Type.CHAR, Type.SHORT, Type.INT ->
          method.visitJumpInsn(Opcodes.IF_ICMPNE, target);
      case Type.LONG -> {
        method.visitInsn(Opcodes.LCMP);
        method.visitJumpInsn(Opcodes.IFNE, target);
      }
      case Type.FLOAT -> {
        callStatic(method, "java/lang/Float", "compare", "(FF)I");
        method.visitJumpInsn(Opcodes.IFNE, target);
      }
      case Type.DOUBLE -> {
        callStatic(method, "java/lang/Double", "compare", "(DD)I");
        method.visitJumpInsn(Opcodes.IFNE, target);
      }
      default -> {
        callStatic(
            method, "java/util/Objects", "equals", "(Ljava/lang/Object;Ljava/lang/Object;)Z");
        method.visitJumpInsn(Opcodes.IFEQ, target);
      }
    }
  }

  private void generateHashCode(MethodNode method, List<Handle> fields) {
    method.visitInsn(Opcodes.ICONST_0);
    for (Handle field : fields) {
      method.visitIntInsn(Opcodes.BIPUSH, HASH_FACTOR);
      method.visitInsn(Opcodes.IMUL);
      getField(method, 0, field);
      hash(method, Type.getType(field.getDesc()));
      method.visitInsn(Opcodes.IADD);
    }
    method.visitInsn(Opcodes.IRETURN);
  }

  private static void hash(MethodNode method, Type field) {
    String box =
        switch (field.getSort()) {
          case Type.BOOLEAN -> "java/lang/Boolean";
          case Type.BYTE -> "java/lang/Byte";
          case Type.CHAR -> "java/lang/Character";
          case Type.SHORT -> "java/lang/Short";
          case Type.INT -> "java/lang/Integer";
          case Type.LONG -> "java/lang/Long";
          case Type.FLOAT -> "java/lang/Float";
          case Type.DOUBLE -> "java/lang/Double";
          default -> null;
        };
    if (box == null) {
      callStatic(method, "java/util/Objects", "hashCode", "(Ljava/lang/Object;)I");
    } else {
      callStatic(method, box, "hashCode", "(" + field.getDescriptor() + ")I");
    }
  }

  private void generateToString(MethodNode method, List<Handle> fields) {
    method.visitTypeInsn(Opcodes.NEW, BUILDER);
    method.visitInsn(Opcodes.DUP);
    method.visitMethodInsn(Opcodes.INVOKESPECIAL, BUILDER, "<init>", "()V", false);
    String before = simpleName() + "[";
    for (Handle field : fields) {
      append(method, before + field.getName() + "=");
      getField(method, 0, field);
      callAppend(method, appended(Type.getType(field.getDesc())));
      before = ", ";
    }
    append(method, fields.isEmpty() ? before + "]" : "]");
    method.visitMethodInsn(
        Opcodes.INVOKEVIRTUAL, BUILDER, "toString", "()Ljava/lang/String;", false);
    method.visitInsn(Opcodes.ARETURN);
  }

  private static void append(MethodNode method, String text) {
    method.visitLdcInsn(text);
    callAppend(method, "Ljava/lang/String;");
  }

  private static void callAppend(MethodNode method, String parameter) {
    method.visitMethodInsn(
        Opcodes.INVOKEVIRTUAL, BUILDER, "append", "(" + parameter + ")L" + BUILDER + ";", false);
  }

  /** The parameter of {@code StringBuilder.append} for a field. */
  private static String appended(Type field) {
    return switch (field.getSort()) {
      case Type.BYTE, Type.SHORT -> "I";
      case Type.ARRAY, Type.OBJECT -> "Ljava/lang/Object;";
      default -> field.getDescriptor();
    };
  }

  private String simpleName() {
    for (InnerClassNode inner : type.innerClasses) {
      if (inner.name.equals(type.name)) {
        return inner.innerName;
      }
    }
    return type.name.substring(type.name.lastIndexOf('/') + 1);
  }

  /** Pushes a field of local variable 0, {@code this}, or 1, the other record. */
  private void getField(MethodNode method, int local, Handle field) {
    method.visitVarInsn(Opcodes.ALOAD, local);
    if (local != 0) {
      method.visitTypeInsn(Opcodes.CHECKCAST, type.name);
    }
    method.visitFieldInsn(Opcodes.GETFIELD, type.name, field.getName(), field.getDesc());
  }

  private static void callStatic(MethodNode method, String owner, String name, String descriptor) {
    method.visitMethodInsn(Opcodes.INVOKESTATIC, owner, name, descriptor, false);
  }
}
