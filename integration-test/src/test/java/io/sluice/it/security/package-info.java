/** Clusters with authentication. */
package io.sluice.it.security;
