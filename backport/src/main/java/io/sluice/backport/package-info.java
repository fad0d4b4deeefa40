/**
 * Methods and classes that the JDK got after Java 8, implemented for Java 8. The module {@code
 * downgrade} redirects calls in client jars to them ({@code docs/decisions/0024}); no source names
 * them. A class {@code XMethods} has the methods of the JDK's class {@code X}, as static methods;
 * an instance method has its receiver as first parameter. They behave as those of the JDK, except
 * where their documentation states a difference. Thread-safe. Depends on nothing.
 */
package io.sluice.backport;
