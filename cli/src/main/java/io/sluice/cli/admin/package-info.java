/**
 * {@code sluice admin}: the state of coordinators and servers as tables or JSON, the orders of
 * operators, and rolling restarts.
 *
 * <p>Thread model: everything on the main thread.
 */
package io.sluice.cli.admin;
