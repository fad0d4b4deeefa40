package io.sluice.backport;

/** Newer methods of {@link CharSequence}. */
@MethodsOf(CharSequence.class)
public final class CharSequenceMethods {
  private CharSequenceMethods() {}

  public static boolean isEmpty(CharSequence self) {
    return self.length() == 0;
  }
}
