# Found by Minitest in RUBYLIB. Adds a reporter that writes a report.
module Minitest
  class RobosmithReporter < AbstractReporter
    def initialize
      super
      require_relative '../record'
      @write = RobosmithReport.open('minitest')
    end

    def record(result)
      name = [result.respond_to?(:klass) ? result.klass : result.class.name, result.name]
      return @write.call(type: 'test', status: 'skipped', name: name) if result.skipped?
      return @write.call(type: 'test', status: 'passed', name: name) if result.passed?

      failure = result.failures.first
      error = failure.error
      message = error.equal?(failure) ? failure.message : "#{error.class}: #{error.message}"
      file, line = result.respond_to?(:source_location) ? result.source_location : nil
      @write.call(type: 'test', status: 'failed', name: name, message: message, file: file && File.expand_path(file),
                  testLine: line, places: RobosmithReport.places(failure.error.backtrace || failure.backtrace))
    end

    def report
      @write.call(type: 'end')
    end
  end

  def self.plugin_robosmith_init(_options)
    reporter << RobosmithReporter.new if ENV.key?('ROBOSMITH_ADDED')
  end
end
