/** Clusters that ask who calls. */
package io.sluice.it.security;
