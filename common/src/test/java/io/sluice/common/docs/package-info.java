/** Helpers for tests that compare the documentation with the code. */
package io.sluice.common.docs;
