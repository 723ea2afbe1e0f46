/** Access control lists of buckets and objects. */
@NullMarked
package io.bulwark.gateway.s3.acl;

import org.jspecify.annotations.NullMarked;
