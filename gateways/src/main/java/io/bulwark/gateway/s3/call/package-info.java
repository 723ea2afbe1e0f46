/** One request in work: the person's view of the cluster, and the ways to answer. */
@NullMarked
package io.bulwark.gateway.s3.call;

import org.jspecify.annotations.NullMarked;
