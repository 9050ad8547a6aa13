package org.apache.doris.flink.it;

import org.apache.doris.flink.sink.writer.WriteMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The tests of a class are run once per write mode, which its constructor takes. */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ParameterizedClass(name = "{0}")
@EnumSource(
        value = WriteMode.class,
        names = {"STREAM_LOAD"})
@interface EachWriteMode {}
