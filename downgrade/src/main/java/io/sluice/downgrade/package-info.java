/**
 * Makes a client jar run on Java 8 ({@code docs/decisions/0024}): rewrites its classes, redirects
 * calls to newer methods of the JDK to the module {@code backport}, and checks the result against
 * the classes of Java 8. A program of the build, single-threaded, no part of any jar.
 */
package io.sluice.downgrade;
