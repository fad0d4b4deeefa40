/**
 * {@code sluice admin}: what coordinators and servers say of themselves, as tables or JSON.
 *
 * <p>Thread model: everything on the main thread.
 */
package io.sluice.cli.admin;
