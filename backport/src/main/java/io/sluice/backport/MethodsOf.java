package io.sluice.backport;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The static methods of this class replace methods of a class of the JDK. */
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
@interface MethodsOf {
  Class<?> value();
}
