package org.apache.flink.annotation;

/** In place of Flink's: the classes of the boundary bear it, and are compiled here with nothing but the JDK. */
public @interface Internal {}
