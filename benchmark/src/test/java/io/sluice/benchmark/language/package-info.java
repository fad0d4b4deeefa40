/** Checks of the words of the whole repository: code, comments, messages and pages. */
package io.sluice.benchmark.language;
