package io.sluice.downgrade;

import java.util.function.UnaryOperator;
import org.objectweb.asm.Handle;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;

/** The methods that lambdas and method references call. */
final class Lambdas {
  /** Bootstrap method of serializable lambdas, among others. */
  private static final String SERIALIZABLE = "altMetafactory";

  private Lambdas() {}

  /**
   * Replaces the methods of a lambda.
   *
   * @throws IllegalStateException if the lambda may be serializable: the code that reads one
   *     compares its method with the original
   */
  static void replaceMethods(InvokeDynamicInsnNode lambda, UnaryOperator<Handle> replacement) {
    for (int i = 0; i < lambda.bsmArgs.length; i++) {
      if (lambda.bsmArgs[i] instanceof Handle method
          && method.getTag() >= Opcodes.H_INVOKEVIRTUAL) {
        Handle replaced = replacement.apply(method);
        if (!replaced.equals(method) && lambda.bsm.getName().equals(SERIALIZABLE)) {
          throw new IllegalStateException(
              "a lambda that may be serializable calls "
                  + new Member(method.getOwner(), method.getName(), method.getDesc())
                  + ", which needs a change for Java 8: use a lambda that calls a static method");
        }
        lambda.bsmArgs[i] = replaced;
      }
    }
  }
}
