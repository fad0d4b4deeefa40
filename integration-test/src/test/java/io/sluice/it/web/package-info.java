/** The coordinator's web pages in a real browser. */
package io.sluice.it.web;
