/** For tests that hold the documentation against the code. */
package io.sluice.common.docs;
