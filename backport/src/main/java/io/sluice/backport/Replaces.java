package io.sluice.backport;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** This class replaces a class of the JDK. */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
@interface Replaces {
  /** Name of the class, which Java 8 does not have. */
  String value();
}
