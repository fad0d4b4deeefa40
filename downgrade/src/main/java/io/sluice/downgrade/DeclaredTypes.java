package io.sluice.downgrade;

import java.util.ArrayList;
import java.util.List;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.FieldVisitor;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

/**
 * Descriptors of the fields and methods of a class. Reflection, such as that of serialization,
 * loads their types even if no code uses them.
 */
final class DeclaredTypes extends ClassVisitor {
  private final List<String> descriptors = new ArrayList<>();

  private DeclaredTypes() {
    super(Opcodes.ASM9);
  }

  static List<String> of(ClassReader reader) {
    DeclaredTypes types = new DeclaredTypes();
    reader.accept(types, ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    return types.descriptors;
  }

  @Override
  public FieldVisitor visitField(
      int access, String name, String descriptor, String signature, Object value) {
    descriptors.add(descriptor);
    return null;
  }

  @Override
  public MethodVisitor visitMethod(
      int access, String name, String descriptor, String signature, String[] exceptions) {
    descriptors.add(descriptor);
    return null;
  }
}
