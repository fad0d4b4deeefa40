/**
 * {@code sluice admin}: prints the state of coordinators and servers as tables or JSON, and runs
 * admin operations and rolling restarts.
 *
 * <p>Thread model: all code runs on the main thread.
 */
package io.sluice.cli.admin;
