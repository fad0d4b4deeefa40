package io.sluice.downgrade;

/**
 * A reference to a field or method.
 *
 * @param owner internal name of the class that the reference names
 * @param descriptor types of the field, or of parameters and result
 */
record Member(String owner, String name, String descriptor) {
  boolean isMethod() {
    return descriptor.startsWith("(");
  }

  /** Types of the parameters, without the result. */
  String parameters() {
    return descriptor.substring(0, descriptor.indexOf(')') + 1);
  }

  Member in(String otherOwner) {
    return new Member(otherOwner, name, descriptor);
  }

  /** The static method that has the receiver of this instance method as first parameter. */
  Member withReceiver(String otherOwner, String otherName) {
    return new Member(otherOwner, otherName, "(L" + owner + ";" + descriptor.substring(1));
  }

  @Override
  public String toString() {
    return owner + "." + name + (isMethod() ? descriptor : "");
  }
}
